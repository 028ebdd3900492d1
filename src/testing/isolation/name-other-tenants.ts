import { type IsolationSession, isSafe, type TestedOperation } from './isolation-session.js'
import type { Side } from './isolation-side.js'

/**
 * Sends requests in which one side names the tenant of another side in the header. The credentials still belong to the
 * sender, so the application must not return data of the named tenant. Pairs of sides that differ only in this header
 * are left out: nothing but the header would identify the caller.
 *
 * @param tenantHeader In lower case.
 */
export async function nameOtherTenants(
  session: IsolationSession,
  all: readonly TestedOperation[],
  tenantHeader: string,
): Promise<void> {
  const { sides } = session.config
  for (const by of sides) {
    for (const of of sides) {
      if (by === of || of.id === undefined || !isKnownApart(by, of, tenantHeader)) continue
      const impostor: Side = { ...by, headers: new Map(by.headers).set(tenantHeader, of.id) }
      const phase = `when ${by.name} names ${of.name} as its tenant`
      for (const tested of all.filter(isSafe)) {
        for (const target of [null, of.name]) {
          const plan = { round: 0, target, ids: { of: of.name } }
          await session.send({ tested, side: impostor, plan, phase })
        }
      }
    }
  }
}

function isKnownApart(one: Side, other: Side, tenantHeader: string): boolean {
  return one.principal !== other.principal || credentials(one) !== credentials(other)
  function credentials({ headers }: Side): string {
    return JSON.stringify([...headers].filter(([name]) => name !== tenantHeader))
  }
}
