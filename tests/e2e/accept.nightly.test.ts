import { corpus } from "../rewrite/corpus";
import { acceptAndPreview, isLive } from "./accept-programs";
import { builtIn, missingCli, pulumiCli } from "./engines";

const engines = missingCli === "" ? [builtIn, pulumiCli] : [builtIn];

const all = corpus.filter(isLive).map((example) => [`${example.style}: ${example.title}`, example] as const);

test.each(all)("accepted, and clean after it: %s", (_, example) => acceptAndPreview(example, engines));
