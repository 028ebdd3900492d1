import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownCommand, repeatedCommand } from '../../src/cli/own-command.js'

afterEach(() => vi.unstubAllEnvs())

/** The environment in which a package manager runs a program. */
function runBy(agent: string, script?: readonly [name: string, text: string]): void {
  vi.stubEnv('npm_config_user_agent', agent)
  vi.stubEnv('npm_lifecycle_event', script?.[0])
  vi.stubEnv('npm_lifecycle_script', script?.[1])
}

describe('a command in a remedy', () => {
  it.each([
    ['npm/11.0.0 node/v24.0.0', 'npx blazon'],
    ['pnpm/10.0.0 npm/? node/v24.0.0', 'pnpm exec blazon'],
    ['yarn/4.0.0 npm/? node/v24.0.0', 'yarn blazon'],
    ['', 'npx blazon'],
  ])('begins as the package manager needs it: %s', (agent, start) => {
    runBy(agent)
    expect(ownCommand(['routes', '--filter', "Anna's orders"])).toBe(
      `${start} routes --filter 'Anna'\\''s orders'`,
    )
  })

  it.each([
    ['npm/11.0.0', 'npm run dev -- --port 3001'],
    ['pnpm/10.0.0', 'pnpm run dev --port 3001'],
    ['yarn/4.0.0', 'yarn run dev --port 3001'],
  ])('names the script that runs it: %s', (agent, text) => {
    runBy(agent, ['dev', 'blazon dev'])
    expect(repeatedCommand('dev', '--port 3001')).toBe(text)
  })

  it.each([
    ['there is none', undefined],
    ['npx runs it', ['npx', 'blazon dev'] as const],
    ['the script runs more', ['dev', 'blazon dev && echo end'] as const],
  ])('names itself where %s', (_, script) => {
    runBy('npm/11.0.0', script)
    expect(repeatedCommand('dev', '--port 3001')).toBe('npx blazon dev --port 3001')
  })
})
