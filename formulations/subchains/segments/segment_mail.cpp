#include "formulations/subchains/segments/segment_mail.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

static_assert(std::is_trivially_copyable_v<SegmentReport> && std::is_trivially_copyable_v<StretchAnswer> &&
              std::is_trivially_copyable_v<ClosingVerdict>);

// A base is copied as it lies in the whole: no padding behind it, which the whole could use.
static_assert(sizeof(SegmentScan) == 11 * sizeof(double));

std::size_t bytes_of_report(ClosingKind kind) {
  return kind == ClosingKind::rates ? sizeof(SegmentScan) : sizeof(SegmentReport);
}

}  // namespace

SegmentMail::SegmentMail(const ChainPlan& plan, const SegmentTree& tree, ProcessExchange& processes)
    : tree_(&tree), processes_(&processes) {
  const int count = processes.size();
  for (int r = 0; r < count; ++r) {
    bounds_.push_back(plan.share_of(r, count).segments.first);
  }
  bounds_.push_back(tree.segments());
  set_groups(0, count);
  std::size_t most = inboard_ ? inboard_->stretches.size() : 0;
  for (const Group& group : outboard_) {
    most = std::max(most, group.stretches.size());
  }
  buffer_.resize(most * std::max(sizeof(SegmentReport), sizeof(StretchAnswer)) + sizeof(ClosingVerdict));
}

void SegmentMail::set_groups(int first, int last) {
  const int process = processes_->process();
  if (last - first == 1) {
    own_ = tree_->joined_across(bound(first), bound(first), bound(last));
    return;
  }
  const int middle = first + (last - first) / 2;
  process < middle ? set_groups(first, middle) : set_groups(middle, last);
  if (process == first) {
    outboard_.push_back({middle, tree_->within(bound(middle), bound(last)),
                         tree_->joined_across(bound(first), bound(middle), bound(last))});
  } else if (process == middle) {
    inboard_ = Group{first, tree_->within(bound(middle), bound(last)), {}};
  }
}

void SegmentMail::close(const ClosingPass& pass, SegmentClosing& closing) {
  const auto join = [&](const std::vector<int>& stretches) {
    std::for_each(stretches.begin(), stretches.end(), [&](int stretch) { closing.join(pass, stretch); });
  };
  const auto open = [&](const std::vector<int>& stretches) {
    std::for_each(stretches.rbegin(), stretches.rend(), [&](int stretch) { closing.open(pass, stretch); });
  };
  join(own_);
  for (const Group& group : outboard_) {
    take_reports(pass, group, closing);
    join(group.joined);
  }
  if (inboard_) {
    tell_reports(pass, closing);
    take_answers(closing);
  } else {
    closing.answer_arms(pass);
  }
  std::for_each(outboard_.rbegin(), outboard_.rend(), [&](const Group& group) {
    open(group.joined);
    tell_answers(group, closing);
  });
  open(own_);
}

void SegmentMail::tell_reports(const ClosingPass& pass, SegmentClosing& closing) {
  const std::size_t bytes = bytes_of_report(pass.kind);
  std::byte* to = buffer_.data();
  for (const int stretch : inboard_->stretches) {
    const SegmentReport& report = closing.report(stretch);
    std::memcpy(to,
                pass.kind == ClosingKind::rates ? static_cast<const void*>(static_cast<const SegmentScan*>(&report))
                                                : static_cast<const void*>(&report),
                bytes);
    to += bytes;
  }
  processes_->tell(inboard_->process, std::span(buffer_).first(bytes * inboard_->stretches.size()));
}

void SegmentMail::take_reports(const ClosingPass& pass, const Group& group, SegmentClosing& closing) {
  const std::size_t bytes = bytes_of_report(pass.kind);
  processes_->hear(group.process, std::span(buffer_).first(bytes * group.stretches.size()));
  const std::byte* from = buffer_.data();
  for (const int stretch : group.stretches) {
    SegmentReport& report = closing.report(stretch);
    std::memcpy(pass.kind == ClosingKind::rates ? static_cast<void*>(static_cast<SegmentScan*>(&report))
                                                : static_cast<void*>(&report),
                from, bytes);
    from += bytes;
  }
}

void SegmentMail::tell_answers(const Group& group, SegmentClosing& closing) {
  std::byte* to = buffer_.data();
  std::memcpy(to, &closing.verdict(), sizeof(ClosingVerdict));
  to += sizeof(ClosingVerdict);
  for (const int stretch : group.stretches) {
    std::memcpy(to, &closing.answer(stretch), sizeof(StretchAnswer));
    to += sizeof(StretchAnswer);
  }
  processes_->tell(group.process, std::span(buffer_).first(index_of(to - buffer_.data())));
}

void SegmentMail::take_answers(SegmentClosing& closing) {
  processes_->hear(inboard_->process, std::span(buffer_).first(sizeof(ClosingVerdict) +
                                                               sizeof(StretchAnswer) * inboard_->stretches.size()));
  const std::byte* from = buffer_.data();
  ClosingVerdict verdict;
  std::memcpy(&verdict, from, sizeof(verdict));
  closing.set_verdict(verdict);
  from += sizeof(verdict);
  for (const int stretch : inboard_->stretches) {
    std::memcpy(&closing.answer(stretch), from, sizeof(StretchAnswer));
    from += sizeof(StretchAnswer);
  }
}

}  // namespace mbdbench
