import type { Fact } from '../contracts/facts.js'
import type { PagesDefinition } from '../contracts/pages.js'

/** The facts of a list with pages, which `cursor` or `page` describes. None for another value, which the caller refuses. */
export function pagesFacts(given: unknown, by: string): readonly Fact[] {
  const pages = definitionOf(given)
  if (pages === undefined) return []
  const { query, response: schema } = pages
  return [
    { kind: 'pages', pages },
    { kind: 'input', source: 'query', schema: query, by },
    { kind: 'responseDoc', options: { status: 200, description: 'One page of the list', schema } },
  ]
}

/** The definition in the result of `cursor` or of `page`; `undefined` for another value. */
export function definitionOf(given: unknown): PagesDefinition | undefined {
  return (given as { readonly definition?: PagesDefinition } | null | undefined)?.definition
}
