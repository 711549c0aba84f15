import type { Policies } from "@pulumi/policy";
import {
  AnalyzeRequest,
  AnalyzerResource,
  AnalyzerResourceOptions,
  AnalyzeStackRequest,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

/** The part of `@pulumi/policy` that serves the engine; its declarations leave it out. */
const server = require("@pulumi/policy/server") as Record<
  "makeAnalyzeRpcFun" | "makeRemediateRpcFun" | "makeAnalyzeStackRpcFun",
  (name: string, version: string, level: string, policies: Policies) => Rpc
>;

interface Answer {
  getDiagnosticsList(): { getPolicyname(): string }[];
  getRemediationsList(): { getPolicyname(): string }[];
}

type Rpc = (call: { request: object }, done: (error: unknown, answer: Answer) => void) => Promise<void>;

const answerOf = (rpc: Rpc, request: object): Promise<Answer> =>
  new Promise((resolve, reject) => void rpc({ request }, (error, answer) => (error ? reject(error) : resolve(answer))));

/** Sets what each of the engine's requests says of a resource. */
function describe<Request extends AnalyzeRequest | AnalyzerResource>(
  request: Request,
  type: string,
  props: object,
): Request {
  request.setType(type);
  request.setUrn(`urn:pulumi:dev::shop::${type}::it`);
  request.setName("it");
  request.setProperties(Struct.fromJavaScript(props as never));
  request.setOptions(new AnalyzerResourceOptions());
  return request;
}

/** Names of the policies that match resources of these types, as `@pulumi/policy` decides it for the engine. */
export async function matching(policies: Policies, types: readonly string[], props: object): Promise<string[]> {
  const names: string[] = [];
  const rpc = (make: keyof typeof server): Rpc => server[make]("pack", "0.0.1", "remediate", policies);
  for (const type of types) {
    const request = describe(new AnalyzeRequest(), type, props);
    const found = await answerOf(rpc("makeAnalyzeRpcFun"), request);
    const changed = await answerOf(rpc("makeRemediateRpcFun"), request);
    names.push(...found.getDiagnosticsList().map((each) => each.getPolicyname()));
    names.push(...changed.getRemediationsList().map((each) => `${each.getPolicyname()}, to remediate`));
  }
  const stack = new AnalyzeStackRequest();
  stack.setResourcesList(types.map((type) => describe(new AnalyzerResource(), type, props)));
  const ofStack = await answerOf(rpc("makeAnalyzeStackRpcFun"), stack);
  return [...names, ...ofStack.getDiagnosticsList().map((each) => each.getPolicyname())];
}
