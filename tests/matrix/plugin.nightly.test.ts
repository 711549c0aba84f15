import { pluginHost, withHost } from "./hosts";
import { InlineSite } from "./inline-site";
import { testMatrix } from "./suite";

testMatrix(() => InlineSite.start({ program: "matrix" }), {
  engine: withHost("the built-in engine, in one process", pluginHost),
  host: pluginHost,
});
