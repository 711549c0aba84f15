/** What a pipeline leaves on the forge: comments of the pull or merge request, and issues. */
export interface Forge {
  /** Without an author: the pipeline's own. */
  comments: { id: number; body: string; author?: { id: number }; user?: { login: string } }[];
  /** How many comments were written or changed. */
  sent?: number;
  pulls?: { number: number; state: "open" | "closed"; branch: string; body: string }[];
  /** What is uploaded to code scanning. */
  alerts?: unknown[];
  issues: { number: number; state: "open" | "closed"; body: string }[];
}
