import { corpus } from "../rewrite/corpus";
import { acceptAndPreview } from "./accept-programs";

test("accepted, and clean after it: a number of the config", () =>
  acceptAndPreview(corpus.find(({ title }) => title === "a number of the config")!));
