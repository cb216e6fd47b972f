(* A queue. *)
open Base

(** How many. *)
let limit = 10

exception Empty of string

type 'a t = {
  mutable front : 'a list;
  mutable back : 'a list;
}

and 'a cursor = { at : int }

type color = Red | Green [@@deriving show]

(** Makes a queue. *)
let create () = { front = []; back = [] }

let push (type a) (q : a t) ~(value : a) ?(times = 1) () : unit =
  let rec loop n = if n > 0 then loop (n - 1) in
  let local = 1 in
  ignore local;
  loop times

let rec even n = if n = 0 then true else odd (n - 1)

and odd n = if n = 0 then false else even (n - 1)

let is_empty = function
  | { front = []; back = [] } -> true
  | _ -> false

let add = fun a b -> a + b

let ( <+> ) a b = a @ b

let (first, second) = (1, 2)

let () = print_endline "started"

let _ = ignore 1

external length : string -> int = "caml_string_length"

module type SIZED = sig
  type t

  val size : t -> int
end

module Inner = struct
  let size q = List.length q.front

  module Deep = struct
    let go () = ()
  end
end

module Make (Ord : SIZED) : SIZED with type t = Ord.t = struct
  type t = Ord.t

  let size x = Ord.size x
end

class counter initial =
  object (self)
    val mutable count = initial
    method increment = count <- count + 1
    method private reset () = self#increment
  end

let%test "works" = true

let main () =
  push (create ()) ~value:1 ()
