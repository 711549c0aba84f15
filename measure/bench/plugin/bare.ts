import { type IResourceProviderServer, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  type CheckRequest,
  CheckResponse,
  ConfigureResponse,
  DiffResponse,
  ProviderHandshakeResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { serve, unaryHandlers } from "../../../protocol/server";

/** A plugin that knows nothing: what it uses is what the protocol costs in Node.js. */

const unary = unaryHandlers((error) => error as Error);
const { DIFF_NONE } = DiffResponse.DiffChanges;

const implementation = {
  handshake: unary(() => new ProviderHandshakeResponse()),
  configure: unary(() => new ConfigureResponse()),
  check: unary((request: CheckRequest) => new CheckResponse().setInputs(request.getNews())),
  diff: unary(() => new DiffResponse().setChanges(DIFF_NONE)),
} satisfies { [Method in keyof Partial<IResourceProviderServer>]: unknown };

void serve([{ definition: ResourceProviderService, implementation }]).then(({ port }) =>
  process.stdout.write(`${port}\n`),
);
