import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf, root } from './markdown.js'

describe('docs/postgres-recipes.md', () => {
  it.each(['test/integrations/postgres/recipes/kysely.ts', 'test/prisma/prisma.ts'])(
    'shows the tested file %s',
    (file) => {
      const texts = blocksOf('docs/postgres-recipes.md').map(({ text }) => text.trim())
      expect(texts).toContain(readFileSync(join(root, file), 'utf8').trim())
    },
  )
})

describe('the pages about logins', () => {
  it.each([
    ['docs/login.md', 'test/journeys/login/oidc-login.ts'],
    ['docs/login.md', 'test/journeys/login/passport-login.ts'],
    ['docs/passwords.md', 'test/journeys/passwords/password-hashes.ts'],
    ['docs/passwords.md', 'test/journeys/passwords/accounts.ts'],
    ['docs/tokens.md', 'test/journeys/tokens/tokens.ts'],
  ])('show tested code: %s contains the file %s', (page, file) => {
    const texts = blocksOf(page).map(({ text }) => text)
    expect(texts).toContain(readFileSync(join(root, file), 'utf8'))
  })
})

describe('docs/websockets.md', () => {
  it.each(['rooms', 'sockets'])('shows the tested file %s.ts', (name) => {
    const texts = blocksOf('docs/websockets.md').map(({ text }) => text)
    expect(texts).toContain(readFileSync(join(root, `test/journeys/websockets/${name}.ts`), 'utf8'))
  })
})

describe('docs/deploying.md', () => {
  it('shows the tested function for AWS Lambda', () => {
    const texts = blocksOf('docs/deploying.md').map(({ text }) => text.trim())
    const file = join(root, 'test/journeys/serverless/lambda.ts')
    expect(texts).toContain(readFileSync(file, 'utf8').trim())
  })
})
