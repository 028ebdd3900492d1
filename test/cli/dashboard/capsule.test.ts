import { expect, it, vi } from 'vitest'
import { Journal } from '../../../src/cli/dev/dashboard/journal.js'
import { reported } from './records.js'

const ID = '20261126-093000-a1b2c3'

function viewOf(capsule: { id: string; folder: string } | null) {
  vi.stubEnv('npm_config_user_agent', '')
  const journal = new Journal()
  journal.add(reported({ status: 500 }, { capsule }))
  return journal.view(1, 'http://127.0.0.1:3000')?.replay
}

it('the dashboard page shows the command that runs a failed request again', () => {
  expect(viewOf({ id: ID, folder: '.blazon/capsules' })).toBe(`npx blazon replay ${ID}`)
  expect(viewOf({ id: ID, folder: "it's here" })).toBe(
    `npx blazon replay ${ID} --folder 'it'\\''s here'`,
  )
  expect(viewOf(null)).toBeNull()
})
