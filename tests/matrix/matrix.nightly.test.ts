import { InlineSite } from "../inline/site";
import { testMatrix } from "./suite";

testMatrix(() => InlineSite.start({ program: "matrix" }), { engine: "the built-in engine, in one process" });
