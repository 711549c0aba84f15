import type { Redactor } from "../../core/redact";
import { parseJson } from "./body";
import { NetworkFault } from "./network-faults";
import type { HttpAnswer, Send } from "./transport";

/**
 * The same `send`. No refusal and no fault that comes out of it shows a known secret, whoever prints, cuts, traces or
 * throws it later. An answer that succeeds is data, which is masked where it is shown: in errors and traces.
 */
export const masking =
  (send: Send, redactor: Redactor): Send =>
  async (request) => {
    try {
      return maskedAnswer(await send(request), redactor);
    } catch (error) {
      throw error instanceof NetworkFault ? maskedFault(error, redactor) : error;
    }
  };

function maskedAnswer(answer: HttpAnswer, redactor: Redactor): HttpAnswer {
  const { status, headers, text } = answer;
  if (status >= 200 && status < 300) return answer;
  const shown = Object.entries(headers).map(([name, value]) => [name, value && redactor.text(value)]);
  return {
    status,
    headers: Object.fromEntries(shown) as HttpAnswer["headers"],
    text: maskedText(text.slice(0, longestRefusal), redactor),
  };
}

/** Letters of a refusal that anybody reads; the mask takes its time for each, during which no signal is heard. */
export const longestRefusal = 256 * 1024;

/** By its values where it is JSON, so that it stays JSON, and no escape hides a secret. */
function maskedText(text: string, redactor: Redactor): string {
  try {
    return JSON.stringify(redactor.value(parseJson(text)));
  } catch {
    return redactor.text(text);
  }
}

function maskedFault({ kind, message, answer, cause }: NetworkFault, redactor: Redactor): NetworkFault {
  const { requestId, ...rest } = answer;
  const found = { ...rest, requestId: requestId === undefined ? undefined : redactor.text(requestId) };
  return new NetworkFault(kind, redactor.text(message), found, { cause });
}
