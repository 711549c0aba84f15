import { corpus } from "../rewrite/corpus";
import { acceptAndPreview } from "./accept-programs";

/** The whole corpus runs at night. */
const few = ["a number of the config", "an object of a kind that the program has none of"];

test.each(few)("accepted, and clean after it: %s", (title) =>
  acceptAndPreview(corpus.find((each) => each.title === title)!),
);
