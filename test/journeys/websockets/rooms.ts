// rooms.ts
import { ApiHidden, Auth, Controller, Get, inject, type Req, requireTenantId, Tenant } from 'blazon'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { Sockets } from './sockets.js'

const Room = z.object({ name: z.string().regex(/^[a-z]+$/) })

@Auth()
@Tenant()
@Controller('rooms')
export class RoomsController {
  private readonly sockets = inject(Sockets)
  private readonly members = new Map<string, Set<WebSocket>>()

  // OpenAPI does not describe WebSockets.
  @ApiHidden()
  @Get(':name/socket', { params: Room, rateLimit: { limit: 10, window: '1m', by: 'user' } })
  enter(req: Req<{ auth: true; params: typeof Room }>) {
    const room = `${requireTenantId()}/${req.params.name}`
    const { id } = req.user
    this.sockets.open(req, (client) => {
      const members = this.members.get(room) ?? new Set()
      this.members.set(room, members.add(client))
      client.on('message', (text) => {
        for (const member of members) member.send(`${id}: ${text}`)
      })
      client.on('error', () => client.terminate())
      client.on('close', () => {
        members.delete(client)
        if (members.size === 0) this.members.delete(room)
      })
    })
  }
}
