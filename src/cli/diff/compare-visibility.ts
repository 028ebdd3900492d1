import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { breaking, compatible, type LocalChange } from './change.js'
import type { SchemaPair } from './schema-pair.js'

/** Compares the abilities that callers need for a field. A client may lack each new ability. */
export function compareVisibility({ base, current, location }: SchemaPair): LocalChange[] {
  const [from, to] = [visibilityOf(base), visibilityOf(current)]
  const fresh = to.filter((ability) => !from.includes(ability))
  if (fresh.length > 0) {
    const message = `Callers need ${fresh.join(', ')} to see and to send the field.`
    return [breaking('visibility-narrowed', location, message)]
  }
  const gone = from.filter((ability) => !to.includes(ability))
  if (gone.length === 0) return []
  const message = `Callers no longer need ${gone.join(', ')} for the field.`
  return [compatible('visibility-widened', location, message)]
}

function visibilityOf({ 'x-visible-to': visibility }: OpenApiSchema): readonly string[] {
  return Array.isArray(visibility) ? visibility.map(String) : []
}
