import { InlineSite } from "../inline/site";
import { pluginHost, withHost } from "../random/hosts";
import { testMatrix } from "./suite";

testMatrix(() => InlineSite.start({ program: "matrix" }), {
  engine: withHost("the built-in engine, in one process", pluginHost),
  host: pluginHost,
});
