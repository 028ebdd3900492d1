/** What handlers respond with. It is found again in a response, whatever is around it. */
export const TEXT = {
  hello: (method: string | undefined, target: string | undefined) => `<${method} ${target}>`,
  echo: (body: unknown) => `<POST ${JSON.stringify(body)?.replaceAll('"', "'").slice(0, 40)}>`,
}

/** The text of the handler in this response. */
export function findText(response: string): string {
  return /<[A-Z]+ .*>/.exec(response)?.[0] ?? ''
}
