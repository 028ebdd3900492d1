import { expect, it } from 'vitest'
import { observeStatements } from '../../../src/integrations/typeorm/typeorm.js'

it('the first of two equal concurrent statements is recorded as the first to end', () => {
  const ended: unknown[] = []
  const begin = ({ values }: { readonly values: unknown }) => ({
    end: () => ended.push(values),
    fail: () => ended.push('failed'),
  })
  const subscribers: Record<string, (event: object) => void>[] = []
  const dataSource = { subscribers, options: { type: 'sqljs' } }
  observeStatements(dataSource as never, { areObserved: true, begin } as never)
  const [subscriber] = subscribers
  const of = { query: 'select ?', queryRunner: {}, success: true, rawResults: [] }
  for (const value of [1, 2]) subscriber?.['beforeQuery']?.({ ...of, parameters: [value] })
  subscriber?.['afterQuery']?.(of)
  expect(ended).toEqual([[1]])
  subscriber?.['afterQuery']?.({ ...of, success: false })
  expect(ended).toEqual([[1], 'failed'])
})
