import type { Answered, Deviations, Refused } from "../deviation";
import { allKinds, listedKinds, type Row, right } from "./row";

/** Refusals of objects that are not there come with status 200, in one of these forms; others as described. */
const missing = (answer: (refusal: Refused) => Answered): Deviations => ({
  refuses: (refusal) => (refusal.status === 404 && refusal.message !== "Not Found" ? answer(refusal) : plain(refusal)),
});

const plain = ({ status, code, message }: Refused): Answered => ({ status, body: { code, message, details: [] } });

const ok = (body: unknown): Answered => ({ status: 200, body });

/** Lists are refused with status 200. */
const refusedLists = (body: unknown): Deviations => ({ lists: () => body });

/** Errors that a service answers with the status of a success. */
export const answeredErrorRows: readonly Row[] = [
  ...right(allKinds, {
    "an error answers 200, as gRPC's JSON": missing(({ code, message }) => ok({ code, message })),
    "an error answers 200, within a member": missing(({ message }) =>
      ok({ error: { code: 404, status: "NOT_FOUND", message } }),
    ),
    "an error answers 200, as a text": missing(({ message }) => ok({ error: message })),
    "an error answers 200, as a problem of RFC 9457": missing(({ status, message }) =>
      ok({ type: "about:blank", title: "Not found", status, detail: message }),
    ),
    "an error answers 200, in a list of errors": missing(({ message }) =>
      ok({ errors: [{ code: "NOT_FOUND", message }] }),
    ),
    "an error answers 200, with a list of messages": missing(({ message }) =>
      ok({ statusCode: 404, message: [message], error: "Not Found" }),
    ),
    "an error answers 200, with a description of OAuth": missing(({ message }) =>
      ok({ error: "not_found", error_description: message }),
    ),
    "an error answers 200, as XML": missing(({ message }) => ({
      status: 200,
      text: `<?xml version="1.0"?><Error><Code>NotFound</Code><Message>${message}</Message></Error>`,
    })),
    "an error answers 200, as plain text": missing(({ message }) => ({ status: 200, text: message })),
    "an error answers 200, in headers of gRPC": {
      ...missing(({ message }) => ({ status: 200, text: `grpc 5 ${message}` })),
      sends: (sent) => {
        const text = sent.bytes.toString();
        if (!text.startsWith("grpc 5 ")) return sent;
        const headers = { ...sent.headers, "grpc-status": "5", "grpc-message": encodeURIComponent(text.slice(7)) };
        return { ...sent, headers, bytes: Buffer.alloc(0) };
      },
    },
    "an error answers 200, as not successful": missing(({ message }) => ok({ success: false, message })),
  }),
  ...[
    { name: "a refused list answers 200, as gRPC's JSON", body: { code: 7, message: "you may not list this" } },
    {
      name: "a refused list answers 200, with an empty list",
      body: { code: 7, message: "no", users: [], secrets: [], deployments: [] },
    },
    { name: "a refused list answers 200, as a message alone", body: { message: "ask your administrator" } },
  ].map(
    ({ name, body }): Row => ({
      name,
      kinds: listedKinds,
      deviation: refusedLists(body),
      outcome: "refused",
      message: /list\w+ \(.*answered 200 with (the error 403 PERMISSION_DENIED|an error: "ask your)/,
    }),
  ),
];
