import { afterEach, describe, expect, it, vi } from 'vitest'
import { projectCommand } from '../../src/cli/project-command.js'

afterEach(() => vi.unstubAllEnvs())

describe('a command in a remedy', () => {
  it.each([
    ['npm/11.0.0 node/v24.0.0', 'npx blazon'],
    ['pnpm/10.0.0 npm/? node/v24.0.0', 'pnpm exec blazon'],
    ['yarn/4.0.0 npm/? node/v24.0.0', 'yarn blazon'],
    ['', 'npx blazon'],
  ])('has the prefix that the package manager needs: %s', (agent, start) => {
    vi.stubEnv('npm_config_user_agent', agent)
    expect(projectCommand(['routes', '--filter', "Anna's orders"])).toBe(
      `${start} routes --filter 'Anna'\\''s orders'`,
    )
  })
})
