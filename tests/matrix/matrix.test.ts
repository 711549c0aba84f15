import { tellingCommands } from "./commands";
import { pluginHost } from "./hosts";
import { InlineSite } from "./inline-site";
import { testMatrix } from "./suite";

/** The command that everything is brought together with: a quarter of what shares a stack, and one of what does not. */
const whole = tellingCommands.filter(({ title }) => title === "up --refresh");
/** The others meet a sixteenth of the fates that share a stack, and not the same. */
const others = tellingCommands.filter((command) => !whole.includes(command));

const open = () => InlineSite.start({ program: "matrix" });
const engine = "the built-in engine, in one process";
testMatrix(open, { engine, tried: whole, alone: 24, shared: 4 });
testMatrix(open, { engine, tried: others, alone: Number.POSITIVE_INFINITY, shared: 16 });

/** The plugin meets one in 24 of the fates that share a stack. The rest runs nightly. */
describe(`with ${pluginHost.title}`, () =>
  testMatrix(open, { engine, host: pluginHost, tried: whole, alone: Number.POSITIVE_INFINITY, shared: 24 }));
