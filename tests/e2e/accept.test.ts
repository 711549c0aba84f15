import { nightly } from "../nightly";
import { corpus } from "../rewrite/corpus";
import { acceptAndPreview } from "./accept-programs";

const accepts = (title: string): void =>
  test(`accepted, and clean after it: ${title}`, () => acceptAndPreview(corpus.find((each) => each.title === title)!));

accepts("a number of the config");

nightly("a program compiles and runs several times, and the whole corpus does so at night", () =>
  accepts("an object of a kind that the program has none of"),
);
