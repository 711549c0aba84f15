import { tellingCommands } from "./commands";
import { InlineSite } from "./inline-site";
import { testMatrix } from "./suite";

testMatrix(() => InlineSite.start(), { tried: tellingCommands });
