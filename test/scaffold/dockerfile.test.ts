import { describe, expect, it } from 'vitest'
import { PACKAGE_MANAGERS } from '../../src/cli/new/new-options.js'
import { readTemplate } from '../../src/cli/new/read-template.js'
import { problemsOf } from './dockerfile-rules.js'

/** The Dockerfile of a new project, and what is left out of its image. */
function filesOf(template: 'service' | 'saas', pm: (typeof PACKAGE_MANAGERS)[number]) {
  const facts = { template, pm, name: 'my-api', decorators: 'standard', test: 'vitest' } as const
  const files = readTemplate({ ...facts, source: '^0.1.0', jobs: template === 'saas' })
  return [files.get('Dockerfile') ?? '', files.get('.dockerignore') ?? ''] as const
}

describe.each(PACKAGE_MANAGERS)('the Dockerfile for %s', (pm) => {
  it.each(['service', 'saas'] as const)('follows all rules in the template %s', (template) => {
    expect(problemsOf(...filesOf(template, pm))).toEqual([])
  })

  it('copies all files that the installation needs', () => {
    const [text] = filesOf('service', pm)
    const needed = {
      npm: 'COPY package.json package-lock.json ./',
      pnpm: 'COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./',
      yarn: 'COPY package.json yarn.lock .yarnrc.yml ./',
    }
    expect(text.split('\n')).toContain(needed[pm])
  })
})

it.each([
  ['service', 0],
  ['saas', 1],
] as const)(
  'the Dockerfile of %s copies as many folders with migrations as the template has: %i',
  (template, count) => {
    const [text] = filesOf(template, 'npm')
    expect(text.split('COPY --from=build /app/migrations ./migrations\n')).toHaveLength(count + 1)
  },
)

describe('the rules for a Dockerfile', () => {
  const [text, ignored] = filesOf('service', 'npm')

  it.each([
    ['a base image without a version', 'node:24-slim', 'node', 'major version'],
    ['the tag `latest`', 'node:24-slim', 'node:latest', 'major version'],
    ['two base images', 'FROM node:24-slim AS', 'FROM node:22-slim AS', 'same base image'],
    [
      'sources that are copied first',
      'COPY package',
      'COPY . .\nCOPY package',
      'before the sources',
    ],
    ['packages for development', ' && npm prune --omit=dev', '', 'packages for development'],
    [
      'a file that is not from the first stage',
      'USER node',
      'COPY src ./src\nUSER node',
      'files of the first stage',
    ],
    ['an archive from a URL', 'USER node', 'ADD https://example.org/x.tgz ./\nUSER node', 'by ADD'],
    ['a secret', 'USER node', 'ENV API_TOKEN=x\nUSER node', 'no secret'],
    ['the user root', 'USER node', 'USER root', 'another user than root'],
    ['a missing user', 'USER node\n', '', 'another user than root'],
    ['a missing compile cache', ' NODE_COMPILE_CACHE=/tmp/compile-cache', '', 'compile cache'],
    ['a command for a shell', 'CMD ["node", "--enable', 'CMD node ["--enable', 'exec form'],
    [
      'a script of npm',
      'CMD ["node", "--enable-source-maps", "dist/main.js"]',
      'CMD ["npm", "start"]',
      'exec form',
    ],
    ['a missing health check', /^HEALTHCHECK.*\n/m, '', 'health check'],
    ['an instruction that Docker does not know', 'USER node', 'USR node', 'Unknown instruction'],
    ['a flag that Docker does not know', 'COPY --from', 'COPY --form', 'Unknown flag'],
  ])('report %s', (_, from, to, message) => {
    const changed = text.replaceAll(from instanceof RegExp ? new RegExp(from, 'gm') : from, to)
    expect(changed).not.toBe(text)
    expect(problemsOf(changed, ignored).join('\n')).toContain(message)
  })

  it('report secrets that are copied into the image', () => {
    expect(problemsOf(text, ignored.replace(/^\.env.*\n/m, ''))).toContain(
      '.dockerignore lacks .env',
    )
  })
})
