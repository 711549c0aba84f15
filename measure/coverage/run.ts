import { runJest } from "../../tests/run-jest";
import { runScript, type Script } from "../../tools/script";

const suites = ["tests/contract", "tests/emulator", "tests/api/paginate"];

const script = {
  command: "npm run coverage",
  about: "Writes docs/dev/measured/coverage.md: which parts of the API's description the tests cover.",
  load() {
    require("../../tests/jest.config.cjs");
    require("./report");
  },
} satisfies Script;

void runScript(script, () => runJest("jest.config.cjs", suites, { COVERAGE: "write" }));
