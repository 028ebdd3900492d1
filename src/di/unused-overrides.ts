import type { Token } from '../contracts/provider.js'
import type { Problem } from '../errors/config-error.js'
import { nearNames } from '../errors/near-names.js'
import type { Override } from './build-container.js'
import { tokenName } from './token.js'

/** Warns of overrides that replace nothing: no provider has their token, and no class requested it. */
export function unusedOverrides(
  overrides: readonly Override[],
  requested: ReadonlySet<Token>,
): Problem[] {
  const known = [...requested].map(tokenName)
  return overrides
    .filter(({ token }) => !requested.has(token))
    .map(({ token }) => ({
      code: 'W_OVERRIDE_UNUSED',
      subject: tokenName(token),
      cause: `Nothing provides ${tokenName(token)}, and no class injects it: the override has no effect.`,
      remedy: remedyFor(tokenName(token), known),
    }))
}

function remedyFor(name: string, known: readonly string[]): string {
  if (known.includes(name)) {
    return 'Another token has the same name: import the token that the application uses.'
  }
  const near = nearNames(name, known)
  if (near.length === 0) return 'Give the token that the application injects, or remove it.'
  return `Did you mean ${near.join(' or ')}?`
}
