import type { OpenApiDocument } from 'blazon'

/**
 * Returns a document in which only the first operation has errors. All operations of the corpus have the same errors, and
 * some tools take most of their time to read them again.
 */
export function withoutRepeatedErrors(document: OpenApiDocument): OpenApiDocument {
  const operations = Object.entries(document.paths).map(([path, { post }], at) => {
    const responses = Object.fromEntries(
      Object.entries(post?.responses ?? {}).filter(([status]) => at === 0 || status < '400'),
    )
    return [path, { post: { ...post, responses } }]
  })
  return { ...document, paths: Object.fromEntries(operations) }
}
