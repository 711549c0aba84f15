import type { Answered, Deviations, Refused } from "../deviation";
import { allKinds, listedKinds, type Row, right } from "./row";

/** Refusals of what is not there in another form; any other is as the description has it. */
const missing = (answer: (refusal: Refused) => Answered): Deviations => ({
  refuses: (refusal) => (refusal.status === 404 && refusal.message !== "Not Found" ? answer(refusal) : plain(refusal)),
});

const plain = ({ status, code, message }: Refused): Answered => ({ status, body: { code, message, details: [] } });

const all = (answer: (refusal: Refused) => Answered): Deviations => ({ refuses: answer });

/** What is not there, and other refusals, in other words. */
export const errorRows: readonly Row[] = [
  ...right(allKinds, {
    "a 404 has no body": missing(({ status }) => ({ status, text: "" })),
    "a 404 has an HTML page": missing(({ status }) => ({ status, text: "<!doctype html><h1>Not found</h1>" })),
    "a 404 has plain text": missing(({ status }) => ({ status, text: "not found" })),
    "a 404 has a problem of RFC 9457": missing(({ status }) => ({
      status,
      body: { type: "about:blank", title: "Not Found", status, detail: "no such thing" },
    })),
    "a 404 has a detail": missing(({ status }) => ({ status, body: { detail: "Not Found" } })),
    "a 404 has a message": missing(({ status }) => ({ status, body: { message: "Not Found" } })),
    "a 404 has an error's text": missing(({ status }) => ({ status, body: { error: "not_found" } })),
    "a 404 has errors of JSON:API": missing(({ status }) => ({
      status,
      body: { errors: [{ status: "404", title: "Not found" }] },
    })),
    "a 404 has a code in words": missing(({ status, message }) => ({ status, body: { code: "NOT_FOUND", message } })),
    "a 404 has the status as its code": missing(({ status, message }) => ({ status, body: { code: 404, message } })),
    "a 404 has an empty object": missing(({ status }) => ({ status, body: {} })),
    "a 404 has null": missing(({ status }) => ({ status, body: null })),
    "a 404 says only Not Found": missing(({ status, code }) => ({ status, body: { code, message: "Not Found" } })),
    "missing objects answer 410": missing(({ code, message }) => ({ status: 410, body: { code, message } })),
    "missing objects answer 410 without a body": missing(() => ({ status: 410, text: "" })),
    "errors are within a member": all(({ status, code, message }) => ({
      status,
      body: { error: { code, message, status: "NOT_FOUND" } },
    })),
    "errors are plain text": { textErrors: true },
    "errors are problems of RFC 9457": all(({ status, message }) => ({
      status,
      body: { type: "about:blank", title: message, status },
    })),
    "errors have no body": all(({ status }) => ({ status, text: "" })),
  }),
  ...right(listedKinds, {
    "missing objects answer 403": missing(({ message }) => ({ status: 403, body: { code: 7, message } })),
  }),
  {
    name: "settings that were never saved answer 403",
    kinds: ["PolicySettings"],
    deviation: missing(({ message }) => ({ status: 403, body: { code: 7, message } })),
    outcome: "refused",
    message: /403/,
  },
];
