import { tonight } from "../nightly";
import { corpus } from "../rewrite/corpus";
import { acceptAndPreview, isLive } from "./accept-programs";
import { builtIn, missingCli, pulumiCli } from "./engines";
import { Site } from "./site";

const all = corpus.filter(isLive).map((example) => [`${example.style}: ${example.title}`, example] as const);

describe("in one process", () => {
  test.each(all)("accepted, and clean after it: %s", (_, example) => acceptAndPreview(example));
});

describe("with real processes, and clean on each engine", () => {
  const engines = missingCli === "" ? [builtIn, pulumiCli] : [builtIn];
  test.each(tonight(12, all))("accepted, and clean after it: %s", (_, example) =>
    acceptAndPreview(example, (options) => Site.open(builtIn, options), engines),
  );
});
