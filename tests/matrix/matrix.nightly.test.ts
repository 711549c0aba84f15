import { InlineSite } from "./inline-site";
import { testMatrix } from "./suite";

testMatrix(() => InlineSite.start(), { engine: "the built-in engine, in one process" });
