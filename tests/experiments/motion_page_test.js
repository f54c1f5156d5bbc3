// Plays the page of a motion without a browser: `node motion_page_test.js PAGE` runs its script on a document that only
// keeps what the script sets.
const assert = require("assert");
const page = require("fs").readFileSync(process.argv[2], "utf8");
const elements = name => Array.from({length: page.split(`class="${name}"`).length - 1}, () => {
  const element = {set: {}};
  element.setAttribute = (key, value) => { element.set[key] = String(value); };
  return element;
});
const shown = {".line": elements("line"), ".symbol": elements("symbol")};
const named = {input: {}, button: {}, select: {value: "1"}, ".clock": {}};
let next_frame = null;
const play = (script, still) => new Function("document", "requestAnimationFrame", "matchMedia", script)(
  {currentScript: {parentElement: {querySelectorAll: name => shown[name], querySelector: name => named[name]}}},
  then => { next_frame = then; }, () => ({matches: still}));
const script = page.match(/<script>([^]*?)<\/script>/)[1];
play(script, false);

const everything = () => JSON.stringify([...shown[".line"], ...shown[".symbol"]].map(element => element.set));
const at_start = everything();
assert.ok(shown[".line"].length > 0 && shown[".symbol"].length > 0);
assert.strictEqual(named[".clock"].textContent, "t = 0.00 s");
// The script's first frame is the picture that the page shows without it.
const line = page.match(/class="line" x1="([^"]*)" y1="([^"]*)" x2="([^"]*)" y2="([^"]*)"/).slice(1).map(Number);
assert.deepStrictEqual(["x1", "y1", "x2", "y2"].map(key => Number(shown[".line"][0].set[key])), line);

named.button.onclick();
assert.strictEqual(named.button.textContent, "Pause");
next_frame(1000);
next_frame(1500);
assert.strictEqual(named[".clock"].textContent, "t = 0.50 s", "half a second of the browser is half a second of motion");
assert.notStrictEqual(everything(), at_start);
assert.ok(!/NaN|undefined/.test(everything()));
next_frame(60000);
assert.strictEqual(everything(), at_start, "begins again after the end");

named.input.value = "1";
named.input.oninput();
assert.strictEqual(named[".clock"].textContent, "t = 1.00 s");
assert.strictEqual(named.button.textContent, "Play", "the slider stops the clock");

// Where reduced motion is asked for nothing moves by itself: a click goes on by a tenth.
next_frame = null;
play(script, true);
assert.strictEqual(named.button.textContent, "Next");
named.button.onclick();
assert.strictEqual(next_frame, null);
assert.notStrictEqual(everything(), at_start);
