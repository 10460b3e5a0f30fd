fn main(){ let o=usearch::IndexOptions::default(); let _=usearch::Index::new(&o); let _=rusqlite::Connection::open_in_memory(); }
