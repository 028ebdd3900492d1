import { describe, expect, it } from 'vitest'
import { plant, SAMPLE } from './sample-document.js'
import { STRUCTURE_CHECKS } from './structure.js'

/** One error for each tool. Most tools find most of these errors. */
const THINGS = ['paths', '/things', 'get'] as const
const PLANTED = {
  seriousme: plant([...THINGS, 'responses'], undefined),
  'swagger-parser': plant([...THINGS, 'responses', '200', 'description'], undefined),
  '@readme/openapi-parser': plant(['paths', '/things/{id}', 'put', 'parameters'], []),
  'redocly recommended-strict': plant([...THINGS, 'security'], undefined),
  'spectral oas': plant([...THINGS, 'tags'], ['Unknown']),
}

describe.each(Object.entries(STRUCTURE_CHECKS))('%s', (name, check) => {
  it('finds no problem in a correct document', async () => {
    expect(await check(SAMPLE)).toEqual([])
  })

  it('finds a planted error', async () => {
    expect(await check(PLANTED[name as keyof typeof PLANTED])).not.toEqual([])
  })
})
