import { tonight } from "../nightly";
import { corpus } from "../rewrite/corpus";
import { acceptAndPreview, isLive } from "./accept-programs";
import { builtIn, missingCli, pulumiCli } from "./engines";
import { Site } from "./site";

const all = corpus.filter(isLive).map((example) => [`${example.style}: ${example.title}`, example] as const);

/** What a process of its own has to show: where its stack traces lead, and what Node.js and Pulumi run of a program. */
const ownProcess = [
  "05-shapes: the program in a function that Pulumi calls",
  "05-shapes: two declarations of one name in two files, of which the stack trace names one",
  "05-shapes: two declarations of one name, of which the recorded position names one",
  "08-odd: a class from the module as a whole, in a script",
];

const isApart = ([title]: (typeof all)[number]): boolean => ownProcess.includes(title);
const apart = all.filter(isApart);
const others = all.filter((each) => !isApart(each));

test("what needs a process of its own is in the corpus", () =>
  expect(apart.map(([title]) => title).sort()).toEqual(ownProcess));

describe("in one process", () => {
  test.each(others)("accepted, and clean after it: %s", (_, example) => acceptAndPreview(example));
});

describe("with real processes, and clean on each engine", () => {
  const engines = missingCli === "" ? [builtIn, pulumiCli] : [builtIn];
  test.each([...apart, ...tonight(12, others)])("accepted, and clean after it: %s", (_, example) =>
    acceptAndPreview(example, (options) => Site.open(builtIn, options), engines),
  );
});
