import { describe, expect, it } from 'vitest'
import { DOCUMENTS } from './apps/apps.js'
import { documentOf } from './apps/document-of.js'
import { semanticProblems } from './checks/semantics.js'
import { STRUCTURE_CHECKS } from './checks/structure.js'

/** Parts of the corpus that tools advise against, and that are intended. */
const ADVISED_AGAINST = [
  // 'null matches twice': only `null` matches twice, so that `oneOf` refuses it, as intended.
  /null-matches-twice/,
  // A description is text. Pages that show it have to escape markup.
  /<script>/,
]

const isOnPurpose = (problem: string) => ADVISED_AGAINST.some((cause) => cause.test(problem))

describe.each(DOCUMENTS)('the document of $name', ({ options, index }) => {
  const document = documentOf(options, index)

  it.each(Object.entries(STRUCTURE_CHECKS))('has no problem for %s', async (_, check) => {
    const problems = await check(document)
    expect(problems.filter((problem) => !isOnPurpose(problem))).toEqual([])
  })

  it('has no semantic problem', () => {
    expect(semanticProblems(document)).toEqual([])
  })
})
