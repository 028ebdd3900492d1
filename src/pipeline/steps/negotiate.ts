import type { RouteModel } from '../../contracts/route-model.js'
import { refuse } from '../../errors/refuse.js'
import { negotiate } from '../../http/negotiate.js'
import { type ChosenRepresentation, chooseRepresentation } from '../../http/produced-type.js'
import type { BlazonRequest } from '../../http/request.js'
import { Refusal } from '../../step/refusal.js'
import type { StepFactory } from '../../step/step.js'
import { type ProducedTarget, sendProduced } from '../send-produced.js'
import { sendUnusual, type UnusualConfig } from '../unusual-values.js'

/** The input of {@link negotiateStage}. */
export interface NegotiateConfig extends Omit<UnusualConfig, 'route'> {
  readonly route: RouteModel
}

/**
 * Chooses the representation of the response by `Accept`. All responses of the route have `Vary: Accept`, the 406 as
 * well: a cache must not give them to another client (RFC 9110, 12.5.5).
 */
export function negotiateStage(config: NegotiateConfig): StepFactory {
  const byType = new Map(representations(config).map((each) => [each.type, each]))
  const types = [...byType.keys()]
  const message = `The response can be ${types.join(' or ')}, and \`Accept\` names none of them`
  return (next) =>
    function chooseType(req, res) {
      res.vary('Accept')
      const representation = byType.get(negotiate(req.headers.accept, types) ?? '')
      if (representation === undefined) return new Refusal(refuse('NOT_ACCEPTABLE', message))
      chooseRepresentation(req, representation)
      return next(req, res)
    }
}

function representations(config: NegotiateConfig): ChosenRepresentation[] {
  const { route } = config
  const sendBytes: ProducedTarget['sendBytes'] = (value, req, res) =>
    sendUnusual(value, config, { req: req as BlazonRequest, res, status: res.statusCode })
  return (route.produces ?? []).map(({ type, serialize }) => {
    if (serialize === null) return { type, send: null }
    const target = { representation: { type, serialize }, route, sendBytes }
    return { type, send: (res, success) => sendProduced(res, success, target) }
  })
}
