import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import * as mini from 'zod/mini'
import { describeSchema } from '../../../src/schema/describe-schema.js'
import { installed } from '../../../src/schema/libraries/library-result.js'

vi.mock('../../../src/schema/libraries/library-result.js', { spy: true })

describe('installed()', () => {
  it('returns only installed packages', () => {
    expect(installed('@valibot/to-json-schema')).toHaveProperty('toJsonSchema')
    expect(installed('no-package-of-this-name')).toBeUndefined()
  })

  it('does not load a package that no schema needs', () => {
    vi.mocked(installed).mockClear()
    describeSchema({ type: 'string' }, { side: 'input' })
    expect(installed).not.toHaveBeenCalled()
  })

  it.each([
    ['valibot', v.object({}), /npm install @valibot\/to-json-schema/],
    ['zod/mini', mini.object({}), /swagger\.converters\['zod'\]/],
  ])(
    'does not describe %s without its package, and reports how to install it',
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
