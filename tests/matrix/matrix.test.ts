import { tellingCommands } from "./commands";
import { InlineSite } from "./inline-site";
import { testMatrix } from "./suite";

/** The command that everything is brought together with: what fails under it has a stack of its own. */
const whole = tellingCommands.filter(({ title }) => title === "up --refresh");
const others = tellingCommands.filter((command) => !whole.includes(command));

const open = () => InlineSite.start({ program: "matrix" });
const engine = "the built-in engine, in one process";
testMatrix(open, { engine, tried: whole });
testMatrix(open, { engine, tried: others, sharedOnly: true });
