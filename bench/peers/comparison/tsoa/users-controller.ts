import { Body, Controller, Get, Path, Post, Route, SuccessResponse } from 'tsoa'

interface User {
  /** @minLength 1 */
  name: string
  /** @pattern ^\S+@\S+\.\S+$ */
  email: string
  /**
   * @isInt
   * @minimum 18
   */
  age: number
}

@Route('users')
export class UsersController extends Controller {
  /** @isInt id */
  @Get('{id}')
  public getById(@Path() id: number): { id: number; name: string } {
    return { id, name: 'Ada' }
  }

  @Post()
  @SuccessResponse('201')
  public create(@Body() user: User): User & { id: number } {
    this.setStatus(201)
    return { id: 2, ...user }
  }
}
