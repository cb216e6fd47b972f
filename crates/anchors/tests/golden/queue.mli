(** A queue. *)

type 'a t

exception Empty of string

(** Makes a queue. *)
val create : unit -> 'a t

val push : 'a t -> value:'a -> unit

val ( <+> ) : 'a list -> 'a list -> 'a list

module Inner : sig
  val size : 'a t -> int
end

module type SIZED = sig
  type t

  val size : t -> int
end

external length : string -> int = "caml_string_length"

class counter : int -> object
  method increment : unit
end
