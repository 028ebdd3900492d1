import type { OpenApiDocument } from 'blazon'
import { describe, expect, it } from 'vitest'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'
import { DOCUMENTS, inVersion, VERSIONS } from './apps/apps.js'
import { documentOf } from './apps/document-of.js'
import { withoutRepeatedErrors } from './apps/without-repeated-errors.js'
import { semanticProblems } from './checks/semantics.js'
import { isUnread, STRUCTURE_CHECKS } from './checks/structure.js'

/** Parts of the corpus that tools advise against, and that are intended. */
const ADVISED_AGAINST = [
  // 'null matches twice': only `null` matches twice, so that `oneOf` refuses it, as intended.
  /null-matches-twice/,
  // A description is text. Pages that show it have to escape markup.
  /<script>/,
]

/** What tools advise against in JSON Schemas that the author wrote, and that stay as they are from OpenAPI 3.1 on. */
const AS_THE_AUTHOR_WROTE = [
  // A property that is required, and that only other parts of the schema describe.
  /no-required-schema-properties-undefined.*(if-then-else|required-and-closed|required-without-properties)/,
  // Anything, or `null`.
  /nullable-anything/,
]

const cases = VERSIONS.flatMap((version) =>
  DOCUMENTS.map(({ name, options, index }) => {
    const document = documentOf(inVersion(options, version), index)
    return { version, name, document }
  }),
)

describe.each(cases)('the document of $name in OpenAPI $version', ({ version, name, document }) => {
  const intended =
    version === '3.0' ? ADVISED_AGAINST : [...ADVISED_AGAINST, ...AS_THE_AUTHOR_WROTE]
  const isOnPurpose = (problem: string) => intended.some((cause) => cause.test(problem))

  it.each(Object.entries(STRUCTURE_CHECKS))(
    'has no problem according to %s',
    async (tool, check) => {
      const isSlow = name === 'corpus' && tool === 'spectral oas'
      const problems = await check(isSlow ? withoutRepeatedErrors(document) : document)
      const [first = ''] = problems
      if (isUnread(tool, first)) {
        // The other validators, among them the official schema of 3.2 (seriousme), read it.
        console.log(`${tool} does not read OpenAPI ${version} yet.`)
        return
      }
      expect(problems.filter((problem) => !isOnPurpose(problem))).toEqual([])
    },
  )

  it('has no semantic problem', () => {
    expect(semanticProblems(document)).toEqual([])
  })
})

describe.each(DOCUMENTS)('the documents of $name', ({ options, index }) => {
  const [oldest, ...later] = VERSIONS.map((version) =>
    documentOf(inVersion(options, version), index),
  )

  it('are equal in all versions according to `openapi diff`', () => {
    for (const document of later) {
      expect(compareDocuments(oldest as OpenApiDocument, document)).toEqual([])
      expect(compareDocuments(document, oldest as OpenApiDocument)).toEqual([])
    }
  })
})
