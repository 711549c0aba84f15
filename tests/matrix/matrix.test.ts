import { tellingCommands } from "./commands";
import { pluginHost } from "./hosts";
import { InlineSite } from "./inline-site";
import { testMatrix } from "./suite";

/** The command that everything is brought together with: half of what shares a stack, and one of what does not. */
const whole = tellingCommands.filter(({ title }) => title === "up --refresh");
/** The others meet an eighth of the fates that share a stack, and not the same. */
const others = tellingCommands.filter((command) => !whole.includes(command));

const open = () => InlineSite.start({ program: "matrix" });
const engine = "the built-in engine, in one process";
testMatrix(open, { engine, tried: whole, alone: 12, shared: 2 });
testMatrix(open, { engine, tried: others, alone: Number.POSITIVE_INFINITY, shared: 8 });

/** The plugin meets one in twelve of the fates that share a stack. The rest runs nightly. */
describe(`with ${pluginHost.title}`, () =>
  testMatrix(open, { engine, host: pluginHost, tried: whole, alone: Number.POSITIVE_INFINITY, shared: 12 }));
