import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import * as mini from 'zod/mini'
import { describeSchema } from '../../../src/schema/describe-schema.js'
import { installed } from '../../../src/schema/libraries/library-result.js'

vi.mock('../../../src/schema/libraries/library-result.js', { spy: true })

describe('optional packages of schema libraries', () => {
  it('are found only if they are installed', () => {
    expect(installed('@valibot/to-json-schema')).toHaveProperty('toJsonSchema')
    expect(installed('no-package-of-this-name')).toBeUndefined()
  })

  it('are not loaded if no schema needs them', () => {
    vi.mocked(installed).mockClear()
    describeSchema({ type: 'string' }, { side: 'input' })
    expect(installed).not.toHaveBeenCalled()
  })

  it.each([
    ['valibot', v.object({}), /npm install @valibot\/to-json-schema/],
    ['zod/mini', mini.object({}), /swagger\.converters\['zod'\]/],
  ])(
    'result in an empty schema and a reported remedy if they are missing: %s',
    (_, schema, cause) => {
      vi.mocked(installed).mockReturnValueOnce(undefined)
      expect(describeSchema(schema, { side: 'input' })).toEqual({
        schema: {},
        definitions: [],
        losses: [{ path: '', cause: expect.stringMatching(cause) }],
      })
    },
  )
})
