import type { OpenApiDocument } from 'blazon'

/**
 * A document whose operations have only the error 400, except for the first one. In the corpus, all operations have the same errors,
 * which take most of the time of a tool. Tools advise to describe at least one error.
 */
export function withoutRepeatedErrors(document: OpenApiDocument): OpenApiDocument {
  const operations = Object.entries(document.paths).map(([path, { post }], at) => {
    const responses = Object.fromEntries(
      Object.entries(post?.responses ?? {}).filter(([status]) => at === 0 || status <= '400'),
    )
    return [path, { post: { ...post, responses } }]
  })
  return { ...document, paths: Object.fromEntries(operations) }
}
