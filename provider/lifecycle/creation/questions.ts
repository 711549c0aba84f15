import { ModelPlatformError } from "../../core/errors";
import { type ResourceOperation, titleOf } from "../operation/operation";
import type { IdSource } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";

/** The error about an object that may be this declaration's, which only a person can decide. */
export function questionAbout(
  operation: ResourceOperation,
  live: LiveObject,
  id: IdSource,
  cause: unknown,
): ModelPlatformError {
  const title = titleOf(operation, live.name);
  const topic = "an-interrupted-run-left-an-object";
  return id === "automatic"
    ? new ModelPlatformError(
        `${title}, created at ${String(live["createTime"])}, was not taken over: it has the automatic id of this declaration, but nothing shows that this declaration created it`,
        {
          advice:
            "Set `modelplatform:recover` to `take` to make it this resource, or to `new` to leave it and create another.",
          topic,
          cause,
        },
      )
    : new ModelPlatformError(
        `${title} was created while this declaration's create was under way, and does not show exactly what was sent`,
        {
          advice: "Set `modelplatform:recover` to `take` to make it this resource, or choose another id.",
          topic,
          cause,
        },
      );
}
