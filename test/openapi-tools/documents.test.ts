import { describe, expect, it } from 'vitest'
import { DOCUMENTS } from './apps/apps.js'
import { documentOf } from './apps/document-of.js'
import { semanticProblems } from './checks/semantics.js'
import { STRUCTURE_CHECKS } from './checks/structure.js'

/** What the corpus says on purpose, and tools advise against. */
const ADVISED_AGAINST = [
  // 'null matches twice': no value but `null` matches twice, and `oneOf` refuses it, as its author wrote.
  /null-matches-twice/,
  // A description is text, whatever is in it; pages that show it have to escape it.
  /<script>/,
]

const isOnPurpose = (problem: string) => ADVISED_AGAINST.some((cause) => cause.test(problem))

describe.each(DOCUMENTS)('the document of $name', ({ options, index }) => {
  const document = documentOf(options, index)

  it.each(Object.entries(STRUCTURE_CHECKS))('is right for %s', async (_, check) => {
    const problems = await check(document)
    expect(problems.filter((problem) => !isOnPurpose(problem))).toEqual([])
  })

  it('means what it says', () => {
    expect(semanticProblems(document)).toEqual([])
  })
})
