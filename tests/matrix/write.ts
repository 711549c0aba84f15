import { runScript, type Script } from "../../tools/script";
import { runJest } from "../run-jest";

const script = {
  command: "npm run matrix",
  about: "Writes docs/dev/measured/ownership-matrix.md, and tries every cell of it as the nightly run does.",
  load() {
    require("../jest.nightly.cjs");
    require("./page");
  },
} satisfies Script;

void runScript(
  script,
  () =>
    runJest("jest.config.cjs", ["tests/matrix/page"], { MATRIX: "write" }) ||
    runJest("jest.nightly.cjs", ["tests/matrix"]),
);
