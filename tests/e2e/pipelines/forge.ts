/** What a pipeline leaves on the forge: comments of the pull or merge request, and issues. */
export interface Forge {
  comments: { id: number; body: string }[];
  issues: { number: number; state: "open" | "closed"; body: string }[];
}
