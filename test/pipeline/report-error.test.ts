import { describe, expect, it } from 'vitest'
import { startReports } from '../../src/pipeline/report-error.js'

describe('the logger of background work with `onError`', () => {
  const failed = new Error('no disk')
  const err = new Error('lost')

  it.each([
    [
      'throws',
      () => {
        throw failed
      },
    ],
    ['rejects', () => Promise.reject(failed)],
  ])(
    "reports the error even if the application's logger %s, and then fails in the same way",
    async (_, error) => {
      const reported: unknown[] = []
      const logger = { info() {}, warn() {}, error }
      const { logger: background } = startReports((each) => void reported.push(each), logger)
      const write = async () => background.error({ err }, 'Refreshing failed')
      await expect(write()).rejects.toBe(failed)
      expect(reported).toEqual([err])
    },
  )
})
