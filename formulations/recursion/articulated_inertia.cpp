#include "formulations/recursion/articulated_inertia.hpp"

namespace mbdbench {

ArticulatedInertia across_start(const RevoluteRun& run, const ArticulatedInertia& m) {
  const double c = run.cos_beta;
  const double s = run.sin_beta;
  const double d = run.d;
  ArticulatedInertia r;
  const double ea = s * (m.axx - m.ayy) + 2.0 * c * m.axy;
  r.axx = m.axx - s * ea;
  r.axy = c * ea - m.axy;
  r.ayy = m.ayy + s * ea;
  r.axz = c * m.axz - s * m.ayz;
  r.ayz = s * m.axz + c * m.ayz;
  r.azz = m.azz;
  const double eb = s * (m.bxx - m.byy) + c * (m.bxy + m.byx);
  const double gxx = m.bxx - s * eb;
  const double gxy = c * eb - m.byx;
  const double gyx = c * eb - m.bxy;
  const double gyy = m.byy + s * eb;
  const double gxz = c * m.bxz - s * m.byz;
  const double gyz = s * m.bxz + c * m.byz;
  const double gzx = c * m.bzx - s * m.bzy;
  const double gzy = s * m.bzx + c * m.bzy;
  const double ec = s * (m.cxx - m.cyy) + 2.0 * c * m.cxy;
  // T(0, 0, d): B' = B - A p~, C' = C + p~ B' + (p~ B)^T with p~ = d [0 -1 0; 1 0 0; 0 0 0].
  r.bxx = gxx - d * r.axy;
  r.byx = gyx - d * r.ayy;
  r.bzx = gzx - d * r.ayz;
  r.bxy = gxy + d * r.axx;
  r.byy = gyy + d * r.axy;
  r.bzy = gzy + d * r.axz;
  r.bxz = gxz;
  r.byz = gyz;
  r.bzz = m.bzz;
  r.cxx = m.cxx - s * ec - d * (r.byx + gyx);
  r.cxy = c * ec - m.cxy - d * r.byy + d * gxx;
  r.cyy = m.cyy + s * ec + d * (r.bxy + gxy);
  r.cxz = c * m.cxz - s * m.cyz - d * gyz;
  r.cyz = s * m.cxz + c * m.cyz + d * gxz;
  r.czz = m.czz;
  return r;
}

LinkWrench across_start(const RevoluteRun& run, const LinkWrench& w) {
  const LinkVector f = out_of_start(run, {w.fx, w.fy, w.fz});
  const LinkVector n = out_of_start(run, {w.nx, w.ny, w.nz});
  return {f.x, f.y, f.z, n.x - run.d * f.y, n.y + run.d * f.x, n.z};
}

}  // namespace mbdbench
