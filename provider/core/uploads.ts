/**
 * Files that a program gives by the behaviour input `from`, as `{ folder }` or `{ files }`. Verbs of the service answer where to send them
 * and judge what has arrived (A080); `sizes`, `addresses` and `resumable` are the members of the first one's request and answer.
 */
export interface Uploads {
  from: string;
  endpoint: { verb: string; sizes: string; addresses: string; resumable: string };
  validate: string;
}
