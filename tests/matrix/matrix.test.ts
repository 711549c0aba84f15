import { tellingCommands } from "./commands";
import { pluginHost } from "./hosts";
import { InlineSite } from "./inline-site";
import { testMatrix } from "./suite";

/** The command that everything is brought together with: a sixth of what needs a stack of its own is tried, too. */
const whole = tellingCommands.filter(({ title }) => title === "up --refresh");
/** The others meet a third of the fates that share a stack, and not the same. */
const others = tellingCommands.filter((command) => !whole.includes(command));

const open = () => InlineSite.start({ program: "matrix" });
const engine = "the built-in engine, in one process";
testMatrix(open, { engine, tried: whole, alone: 6 });
testMatrix(open, { engine, tried: others, alone: Number.POSITIVE_INFINITY, shared: 3 });

/** The plugin meets one in four of the fates that share a stack. The rest is for the night. */
describe(`with ${pluginHost.title}`, () =>
  testMatrix(open, { engine, host: pluginHost, tried: whole, alone: Number.POSITIVE_INFINITY, shared: 4 }));
