//! The files of an item. Images are shown small; the texts of the item show them in full.

use app::view::{AttachmentView, ItemView};
use maud::{Markup, html};
use model::attachment::Attachment;

use super::{Adder, Controls, Part, add_button};
use crate::pages::icons::icon;
use crate::pages::words;

const FILE: Adder = Adder { act: "attach", name: "Attach files", word: "Files" };

/// Renders the attachments.
pub(super) fn section(item: &ItemView, controls: Controls) -> Part {
    if item.attachments.is_empty() {
        return Part::empty(controls, FILE);
    }
    Part::Filled(html! {
        section class="section" aria-labelledby="attachments" {
            header {
                h2 id="attachments" { "Attachments" }
                span class="count" { (item.attachments.len()) }
                @if controls.are_shown() { (add_button(FILE)) }
            }
            ul class="attachments" { @for one in &item.attachments { (entry(item, one, controls)) } }
        }
    })
}

fn entry(item: &ItemView, one: &AttachmentView, controls: Controls) -> Markup {
    let address = format!("/api/items/{}/attachments/{}", item.id, one.id);
    let is_image = Attachment::is_image_type(&one.media_type);
    html! {
        li class="attachment" id={ "attachment-" (one.id) } {
            a href=(address) title=(one.name) download=[(!is_image).then_some(&one.name)] {
                @if is_image { img src=(address) alt="" loading="lazy"; } @else { (icon("file")) }
                span class="truncate" { (one.name) }
                span class="meta" { (words::bytes(one.size)) }
            }
            @if controls.are_shown() {
                button type="button" class="icon-button small remove js" data-act="detach" data-id=(one.id) data-name=(one.name) aria-label={ "Remove the attachment " (one.name) } { (icon("close")) }
            }
        }
    }
}
